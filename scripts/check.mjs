// npm run check: types, format and lint of everything, without running a test.

import { check, ensureInstalled } from './project.mjs';

ensureInstalled();
check();
