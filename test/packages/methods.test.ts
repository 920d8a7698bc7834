// The library itself calls no method of a tensor that only `@voxgrad/core/methods` attaches: a page
// without these would fail inside of it.

import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { OTHER_METHODS } from '../../packages/core/src/signatures.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SMALL = ['core', 'nn', 'optim', 'wasm', 'checkpoint', 'data', 'train'];
const rare = new Set(OTHER_METHODS.split(' '));

it('only methods that every tensor has', { timeout: 240_000 }, () => {
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const entries = SMALL.map((name) => `${root}packages/${name}/src/index.ts`);
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const isTensor = (type: ts.Type): boolean =>
    type.isUnion() ? type.types.some(isTensor) : /^(Tensor|Parameter)$/.test(type.symbol?.name);
  for (const file of program.getSourceFiles()) {
    if (!/packages\/\w+\/src\//.test(file.fileName)) continue;
    const visit = (node: ts.Node): void => {
      if (
        ts.isPropertyAccessExpression(node) &&
        rare.has(node.name.text) &&
        isTensor(checker.getTypeAtLocation(node.expression))
      ) {
        const { line } = file.getLineAndCharacterOfPosition(node.name.getStart());
        found.push(`${file.fileName.slice(root.length)}:${line + 1}: ${node.name.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  expect(found).toEqual([]);
});
