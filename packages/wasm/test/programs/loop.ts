// A synchronous loop of large temporaries: how much memory the process ever had.

import { arange } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';

const device = createWasmDevice({ threads: 1, budgetBytes: 128 * 2 ** 20 });
const x = arange(0, 4 * 2 ** 20, { dtype: 'float32', device });
for (let i = 0; i < 150; i++) x.clone();
console.log(JSON.stringify({ peakMib: process.resourceUsage().maxRSS / 1024 }));
