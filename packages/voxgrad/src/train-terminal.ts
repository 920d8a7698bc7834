// Progress and curves in a terminal, of Node alone: `import { progressBar } from 'voxgrad/train/terminal'`.

export * from '@voxgrad/train/terminal';
