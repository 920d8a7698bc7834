import { packageConfig } from '../tsup.shared.js';

export default packageConfig({
  index: 'src/index.ts',
  'lr-scheduler': 'src/schedulers/index.ts',
});
