// The training loop and its reports: `import { fit } from 'voxgrad/train'`.

export * from '@voxgrad/train';
