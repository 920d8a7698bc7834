import { packageConfig } from '../tsup.shared.js';

export default packageConfig({ index: 'src/index.ts', methods: 'src/tensor/all-methods.ts' });
