// The examples by name.

export type Options = Readonly<Record<string, number | string>>;

export const EXAMPLES = {
  'fault-segmentation': () => import('../fault-segmentation.js'),
  'brain-mri': () => import('../brain-mri.js'),
  'small-volumes': () => import('../small-volumes.js'),
  'physics-informed': () => import('../physics-informed.js'),
  'waveform-inversion': () => import('../waveform-inversion.js'),
  'strategies-per-device': () => import('../strategies-per-device.js'),
  'custom-strategy': () => import('../custom-strategy.js'),
  porting: () => import('../porting/train.js'),
} as const;
