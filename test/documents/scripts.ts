// Runs the TypeScript blocks of a document one after the other, as a reader would: each sees what those
// before it declared, what its document's setup gives, and every name of `voxgrad` without importing it.

import { format } from 'node:util';
import { transform } from 'esbuild';
import ts from 'typescript';
import { expect, vi } from 'vitest';
import * as voxgrad from 'voxgrad';
import { type Block, shows } from './blocks.js';

export interface Setup {
  /** Names that blocks use and the text around them describes. Files are written to the folder it runs in. */
  given?(): Promise<Record<string, unknown>> | Record<string, unknown>;
  /** Whether each block stands alone, with names that are given anew. */
  readonly separate?: boolean;
  /** Modules that need what a test does not have, and those that are taken instead. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Puts back what the blocks left. */
  after?(): void;
}

/** JavaScript in which imports are awaited calls of `$import`, so that they may stand anywhere. */
async function javascript(code: string): Promise<string> {
  // `{ …, more }`: what stands above, which the setup gives as `elided`.
  const { code: plain } = await transform(code.replaceAll('…,', '...elided,'), {
    loader: 'ts',
    target: 'esnext',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const file = ts.createSourceFile('block.mjs', plain, ts.ScriptTarget.ESNext);
  return file.statements
    .map((statement) => {
      if (!ts.isImportDeclaration(statement))
        return statement.getFullText(file).replace(/^(\s*)export /, '$1');
      const from = statement.moduleSpecifier.getText(file);
      const { namedBindings } = statement.importClause ?? {};
      if (!namedBindings) return `await $import(${from}, []);`;
      if (ts.isNamespaceImport(namedBindings))
        return `const ${namedBindings.name.text} = await $import(${from}, []);`;
      const names = namedBindings.elements.map((e) => (e.propertyName ?? e.name).getText(file));
      const bound = namedBindings.elements.map((e) => e.getText(file).replace(' as ', ': '));
      return `const { ${bound.join(', ')} } = await $import(${from}, ${JSON.stringify(names)});`;
    })
    .join('\n');
}

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>;

/** @param load imports a module by the name that the blocks use */
export async function runScripts(
  document: string,
  blocks: readonly Block[],
  setup: Setup,
  load: (name: string) => Promise<object>,
): Promise<void> {
  let current: Block = blocks[0];
  const printed = new Map<Block, string>();
  const log = vi.spyOn(console, 'log').mockImplementation((...args: unknown[]) => {
    printed.set(current, `${printed.get(current) ?? ''}${format(...args)}\n`);
  });
  const imported = async (name: string, names: readonly string[]): Promise<object> => {
    const module = await load(setup.instead?.[name] ?? name);
    for (const wanted of names)
      if (!(wanted in module)) throw new Error(`'${name}' exports no '${wanted}'`);
    return module;
  };
  const at = (index: number) => {
    current = blocks[index];
  };
  const run = async (code: string) => {
    const given = { ...voxgrad, ...(await setup.given?.()), $import: imported, $at: at };
    await new AsyncFunction(...Object.keys(given), code)(...Object.values(given));
  };
  const bodies: string[] = [];
  try {
    for (const [i, block] of blocks.entries()) {
      current = block;
      bodies.push(`{ $at(${i});\n${await javascript(block.code)}\n`);
    }
    if (setup.separate) for (const body of bodies) await run(`${body}}`);
    else await run(bodies.join('') + '}'.repeat(bodies.length));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${document}:${current.line}: ${message}`, { cause: error });
  } finally {
    log.mockRestore();
    setup.after?.();
  }
  for (const block of blocks) {
    if (block.output === undefined || shows(printed.get(block) ?? '', block.output)) continue;
    expect(printed.get(block), `${document}:${block.line} prints`).toBe(block.output);
  }
}
