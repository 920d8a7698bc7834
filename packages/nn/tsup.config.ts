import { packageConfig } from '../tsup.shared.js';

export default packageConfig({ index: 'src/index.ts', functional: 'src/functional-checked.ts' });
