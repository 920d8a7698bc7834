// Saves two contents over one file in turn, until it is killed: see save-kill.test.ts.

import { writeSync } from 'node:fs';
import { save } from '../../src/index.js';
import { CONTENTS } from './contents.js';

const [path] = process.argv.slice(2);
writeSync(1, 'ready\n');
for (let i = 0; ; i++) await save(CONTENTS[i % CONTENTS.length](), path);
