// The process of a peer in JavaScript. Argument: its name.

import { fileURLToPath } from 'node:url';
import { type JsPeerName, servePeer } from '../../packages/voxgrad/src/bench/peers/server.js';

await servePeer(process.argv[2] as JsPeerName, fileURLToPath(import.meta.url));
