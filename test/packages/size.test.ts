// What programs weigh in a page stays within scripts/size-budget.json (`npm run size` prints the table).

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = existsSync(new URL('../../packages/voxgrad/dist/esm', import.meta.url));

it.skipIf(!built)(`sizes${built ? '' : ' (skipped: run npm run build first)'}`, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/size.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
});
