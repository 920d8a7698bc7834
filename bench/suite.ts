// One suite, in this process. Argument: its name.

import { SUITES } from './suites.js';

const suite = await SUITES[process.argv[2]]();
await suite();
// Peers and workers that hang must not keep the process.
process.exit();
