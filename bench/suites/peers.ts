// Against the libraries that run where this one does, one thread each: a dense and a depthwise
// convolution, forward and forward + backward.

import { relativeError } from '../../packages/voxgrad/src/bench/error.js';
import { dense, depthwise, PASSES, runPass } from '../lib/conv-cases.js';
import { deviceOf } from '../lib/devices.js';
import { interleaved, type Run } from '../lib/measure.js';
import { progress, QUICK } from '../lib/options.js';
import { agreement, peerCase } from '../lib/peer-case.js';
import { against, type Cell, printTable } from '../lib/table.js';
import { installPeers } from '../peers/install.js';
import { jaxPeers } from '../peers/jax.js';
import { onnxPeers } from '../peers/onnx.js';
import { tfjsPeers } from '../peers/tfjs.js';

const GOAL = 40;
/** Of the peers that train. */
const goals = (name: string, x: number): Cell => (name.startsWith('onnx') ? x : against(x, GOAL));

export async function peers(): Promise<void> {
  installPeers();
  const all = [...(await tfjsPeers()), ...(await jaxPeers()), ...(await onnxPeers())];
  const device = await deviceOf({ threads: 1 });
  const rows: Cell[][] = [];
  const cases = QUICK ? [dense(8, 8, 12), depthwise(5, 12)] : [dense(16, 32, 32), depthwise(9, 32)];
  for (const convCase of cases) {
    const c = peerCase(convCase, 'float32', device);
    const pass = (name: (typeof PASSES)[number]) =>
      runPass(device, name, convCase.geometry, c.data).release();
    for (const peer of all) {
      const reason = peer.refuses(c);
      if (reason) {
        rows.push([convCase.name, peer.name, '', '', '', reason, '', '', '', '']);
        continue;
      }
      progress(`peers: ${convCase.name}, ${peer.name}`);
      try {
        const prepared = await peer.prepare(c);
        const values = await prepared.values();
        const runs: Record<string, Run> = {
          ours: () => pass('forward'),
          theirs: () => prepared.forward(),
        };
        if (prepared.both) {
          runs.oursBoth = () => PASSES.forEach(pass);
          runs.theirsBoth = () => prepared.both?.();
        }
        const { ms, ratio } = await interleaved(runs, QUICK ? 1 : 3);
        rows.push([
          convCase.name,
          peer.name,
          ms.ours,
          ms.theirs,
          ratio('theirs', 'ours'),
          ms.theirsBoth ?? 'does not train',
          prepared.both ? goals(peer.name, ratio('theirsBoth', 'oursBoth')) : '',
          ...PASSES.map((name) => {
            const theirs = values[name];
            return theirs ? agreement(relativeError(theirs, c.ours[name]), 'float32') : '';
          }),
        ]);
      } catch (error) {
        rows.push([convCase.name, peer.name, '', '', '', `failed: ${error}`, '', '', '', '']);
      }
    }
  }
  printTable(
    'Against JavaScript peers, float32, one thread',
    [
      'case',
      'peer',
      'ours, forward ms',
      'theirs',
      'times faster',
      'theirs, forward + backward ms',
      'times faster',
      'difference of forward',
      'of input gradient',
      'of weight gradient',
    ],
    rows,
  );
}
