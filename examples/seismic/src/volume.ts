import { F, Generator, rand, randn, type Tensor, tensor } from 'voxgrad';

export interface LabelledVolume {
  /** Amplitudes `[1, 1, X, Y, Z]`, mean 0 and standard deviation 1; Z is depth. */
  readonly signal: Tensor;
  /** 1 within a voxel of a fault plane, else 0: int64 `[1, X, Y, Z]`. */
  readonly labels: Tensor;
}

type Size = readonly [x: number, y: number, z: number];

interface Fault {
  /** Signed distance in voxels from the plane. */
  distance(x: number, y: number, z: number): number;
  /** How far the rock on one side has slipped, in voxels. */
  readonly slip: number;
}

/**
 * Layered rock, gently folded, cut and displaced along a few steep planes, and seen through a
 * Ricker wavelet with a little noise. The same seed gives the same volume.
 */
export function seismicVolume(seed: number, size: Size, faultCount = 3): LabelledVolume {
  const generator = new Generator().manualSeed(seed);
  const uniform = (low: number, high: number) =>
    low + (high - low) * rand([], { generator }).item();
  const [nx, ny, nz] = size;
  const faults = Array.from({ length: faultCount }, () => randomFault(size, uniform));
  const fold = { height: uniform(0.5, 2), pitch: uniform(0.1, 0.4), tilt: uniform(-0.3, 0.3) };

  const margin = 48;
  const rock = randn([nz + 2 * margin], { generator, dtype: 'float64' }).dataSync() as Float64Array;
  const amplitudes = new Float32Array(nx * ny * nz);
  const labels = new BigInt64Array(nx * ny * nz);
  for (let x = 0, at = 0; x < nx; x++)
    for (let y = 0; y < ny; y++)
      for (let z = 0; z < nz; z++, at++) {
        let layer = z + fold.height * Math.sin(fold.pitch * x) + fold.tilt * y;
        for (const { distance, slip } of faults) {
          const d = distance(x, y, z);
          if (d > 0) layer += slip;
          if (Math.abs(d) < 1) labels[at] = 1n;
        }
        amplitudes[at] = between(rock, layer + margin);
      }

  const traces = tensor(amplitudes, { shape: [nx * ny, 1, nz] });
  const wavelet = ricker();
  const blurred = F.conv1d(traces, wavelet, null, { padding: 'same' });
  const noise = randn(blurred.shape, { generator }).mul(blurred.std().mul(0.1));
  const signal = blurred.add(noise);
  const standard = signal.sub(signal.mean()).div(signal.std());
  return {
    signal: standard.reshape(1, 1, ...size),
    labels: tensor(labels, { shape: [1, ...size] }),
  };
}

function randomFault(size: Size, uniform: (low: number, high: number) => number): Fault {
  const azimuth = uniform(0, 2 * Math.PI);
  const dip = uniform(0.96, 1.48); // 55° to 85°
  const normal = [
    Math.cos(azimuth) * Math.sin(dip),
    Math.sin(azimuth) * Math.sin(dip),
    Math.cos(dip),
  ];
  const point = size.map((length) => length * uniform(0.2, 0.8));
  return {
    slip: uniform(3, 7) * (uniform(0, 1) < 0.5 ? -1 : 1),
    distance: (x, y, z) =>
      normal[0] * (x - point[0]) + normal[1] * (y - point[1]) + normal[2] * (z - point[2]),
  };
}

/** `values` at a position between two of them; positions outside take the nearest end. */
function between(values: Float64Array, position: number): number {
  const at = Math.min(Math.max(position, 0), values.length - 2);
  const below = Math.floor(at);
  return values[below] * (1 - (at - below)) + values[below + 1] * (at - below);
}

/** (1 − 2t²)·exp(−t²), the usual model of a seismic pulse. `[1, 1, 9]` */
function ricker(): Tensor {
  const samples = Array.from({ length: 9 }, (_, i) => {
    const t = (i - 4) * Math.PI * 0.16;
    return (1 - 2 * t * t) * Math.exp(-t * t);
  });
  return tensor([[samples]]);
}
