import { load, save, loadStateDict, CheckpointError } from '@voxgrad/checkpoint';
import { test } from 'vitest';
const F='/work/main/test/fixtures/';
test('x', async () => {
  for (const f of ['checkpoint.pt','checkpoint_legacy.pt','training_checkpoint.pt','dtypes.pt','checkpoint.safetensors','training.pt','training_classifier.pt']) {
    const v = await load(F+f); console.log(f, v);
  }
  const v = await load(F+'training_checkpoint.pt');
  const bytes = await save(v); console.log(bytes.length);
  console.log(await load(bytes));
  try { await loadStateDict(F+'dtypes.json') } catch (e) { console.log(String(e), e.where, e.code) }
});
