// Runs before a package is packed, in its folder: the licence goes with it.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.mjs';

copyFileSync(join(ROOT, 'LICENSE'), 'LICENSE');
