import type { ReproCall } from './call.js';

/** The chip whose refusals a script shows, and the switches that it sets. */
export interface ReproDevice {
  readonly soc: string;
  readonly cann: string;
  readonly torchNpu?: string;
  readonly allowInternalFormat?: boolean;
  readonly jitCompile?: boolean;
}

/** A script for voxgrad: which strategy an NPU would run, and every strategy against float64. */
export function voxgradScript(call: ReproCall, device: ReproDevice | undefined): string {
  const { soc, ...versions } = device ?? { soc: 'Ascend910B1', cann: '8.2.RC1' };
  const { cann } = versions;
  const formats = Object.keys(call.formats).length > 0 ? call.formats : undefined;
  return `// ${call.text}: which backward of a convolution runs where, and every one against float64.
//
//   npm install voxgrad; node repro.mjs [--scale N]
//
// Exit code 0: all strategies agree; 1: one is off.

import { F, grad, manualSeed, npu, randn, strategies } from 'voxgrad';

const X_SHAPE = ${JSON.stringify(call.input)};
const W_SHAPE = ${JSON.stringify(call.weight)};
const OPTIONS = ${JSON.stringify({ stride: call.stride, padding: call.padding, dilation: call.dilation, groups: call.groups })};
const NEEDS = ${JSON.stringify(call.needs.slice(0, 2))}; // gradients of x and of w
/** Largest difference to float64, relative to the largest element. */
const TOLERANCE = 1e-4;

const at = process.argv.indexOf('--scale');
const scale = at < 0 ? 1 : Number(process.argv[at + 1]);
const conv = [F.conv1d, F.conv2d, F.conv3d][W_SHAPE.length - 3];

// What the chip would say. Nothing runs here: only sizes count.
const chip = npu('${soc}', ${JSON.stringify(versions)});
const call = { input: X_SHAPE, weight: W_SHAPE, ...OPTIONS, dtype: '${call.dtype}', needs: [...NEEDS, false]${formats ? `, formats: ${JSON.stringify(formats)}` : ''} };
const explained = strategies.explain('conv${call.rank}d', call, chip);
console.log(\`\${chip.name} ${cann}: chosen \${explained.chosen}\`);
for (const { name, ok, reasons } of explained.considered)
  console.log(\`  \${name}: \${ok ? 'runs' : 'refused'}: \${reasons.join('; ')}\`);

// Every strategy on this machine, with the volume divided by --scale.
const least = W_SHAPE.slice(2).map((k, a) => OPTIONS.dilation[a] * (k - 1) + 1);
const volume = X_SHAPE.slice(2).map((s, a) => Math.max(Math.floor(s / scale), least[a]));
manualSeed(0);
const x = randn([...X_SHAPE.slice(0, 2), ...volume], { device: 'cpu' });
const w = randn(W_SHAPE, { device: 'cpu' });

function gradients(strategy, dtype, device) {
  const own = [x, w].map((t) => t.to(dtype).to(device).detach());
  const wanted = own.filter((t, i) => NEEDS[i] && t.requiresGrad_());
  const y = conv(own[0], own[1], null, { ...OPTIONS, ...(strategy && { backward: strategy }) });
  manualSeed(1);
  const g = randn(y.shape, { device: 'cpu' }).to(dtype).to(device);
  return grad([y], wanted, { gradOutputs: [g] }).map((t) => Float64Array.from(t.dataSync()));
}

const reference = gradients(undefined, 'float64', 'wasm');
const names = NEEDS.flatMap((needed, i) => (needed ? [['dx', 'dw'][i]] : []));
let good = true;
for (const { name } of strategies.list('conv3d')) {
  try {
    const got = gradients(name, 'float32', 'wasm');
    const errors = got.map((values, i) => {
      const largest = reference[i].reduce((most, v) => Math.max(most, Math.abs(v)), 1);
      return values.reduce((most, v, j) => Math.max(most, Math.abs(v - reference[i][j])), 0) / largest;
    });
    const ok = errors.every((error) => error <= TOLERANCE);
    good &&= ok;
    console.log(\`\${name}: \${names.map((n, i) => \`\${n} error \${errors[i].toExponential(2)}\`).join(', ')} \${ok ? 'ok' : 'WRONG'}\`);
  } catch (error) {
    console.log(\`\${name}: does not run here: \${error.message.split('\\n')[0]}\`);
  }
}
process.exitCode = good ? 0 : 1;
`;
}
