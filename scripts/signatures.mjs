// Writes what every public function and tensor method takes, read off the types, so that calls from
// plain JavaScript can be checked against it: packages/core/src/checked.ts and packages/nn/src/
// {functional,init}-checked.ts, one line per function so that bundlers can leave out what a program
// does not use, and packages/core/src/signatures.ts for the methods. Run it after a public function has
// come or its parameters or comment have changed: `npm run signatures`. With --check it only compares, as a test does.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const config = ts.getParsedCommandLineOfConfigFile(
  `${root}tsconfig.json`,
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (problem) => {
      throw new Error(String(problem.messageText));
    },
  },
);
const CORE = `${root}packages/core/src/unchecked.ts`;
const METHODS = {
  first: `${root}packages/core/src/tensor/methods.ts`,
  all: `${root}packages/core/src/tensor/all-methods.ts`,
};
const NN = {
  functional: `${root}packages/nn/src/functional.ts`,
  init: `${root}packages/nn/src/init.ts`,
};
const program = ts.createProgram([CORE, ...Object.values(METHODS), ...Object.values(NN)], {
  ...config.options,
  noEmit: true,
});
const checker = program.getTypeChecker();

const partsOf = (type) => (type.isUnion() ? type.types : [type]);
const numeric = (type) =>
  partsOf(type).every((part) => part.flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.Undefined));
const optional = (type) => partsOf(type).some((part) => part.flags & ts.TypeFlags.Undefined);

/** The parameters of one signature: `{ name, number, optional, rest }`. */
function parametersOf(signature) {
  return signature.parameters.flatMap((parameter) => {
    const declared = parameter.valueDeclaration;
    const type = checker.getTypeOfSymbol(parameter);
    const rest = declared && ts.isParameter(declared) && declared.dotDotDotToken;
    if (rest && checker.isTupleType(type))
      return checker.getTypeArguments(type).map((part, i) => {
        const label = type.target.labeledElementDeclarations?.[i];
        return {
          name: label?.name.getText() ?? `argument ${i + 1}`,
          number: numeric(part),
          optional: optional(part) || label?.questionToken !== undefined,
        };
      });
    const name = parameter.name.startsWith('__') ? 'options' : parameter.name;
    const open =
      optional(type) ||
      (declared && ts.isParameter(declared) && (declared.questionToken || declared.initializer));
    return [{ name, number: numeric(type), optional: Boolean(open), rest: Boolean(rest) }];
  });
}

/** `x, #dim, options`: all parameters of all signatures; # where only a number belongs, ? where it may be left out. */
function textOf(type) {
  const all = type.getCallSignatures().map(parametersOf);
  const longest = all.reduce((a, b) => (b.length > a.length ? b : a), []);
  return longest
    .map(({ name, rest }, i) => {
      if (rest) return `...${name}`;
      const number = all.every((list) => list[i] === undefined || list[i].number);
      const open = all.some((list) => list[i] === undefined || list[i].optional);
      return number ? `#${name}${open ? '?' : ''}` : name;
    })
    .join(', ');
}

const exportsOf = (source) => checker.getExportsOfModule(checker.getSymbolAtLocation(source));

/** Names that a file exports as types alone: `export type * from`. */
const typesOf = (source) =>
  source.statements
    .filter((node) => ts.isExportDeclaration(node) && node.isTypeOnly && !node.exportClause)
    .flatMap((node) =>
      checker.getExportsOfModule(checker.getSymbolAtLocation(node.moduleSpecifier)),
    )
    .map((symbol) => symbol.name);

/** What is written about a symbol above its first declaration that has something, as a comment; or nothing. */
function commentOn(symbol) {
  const [comment] = symbol.declarations
    .flatMap((declaration) => ts.getJSDocCommentsAndTags(declaration))
    .filter(ts.isJSDoc);
  const lines = comment?.getText().split('\n') ?? [];
  return lines.map((line, i) => (i === 0 ? line : ` ${line.trim()}`)).join('\n');
}

/** The functions that a file exports, with what they take and their comments; those of another package are that package's to check. */
function functionsOf(path) {
  const source = program.getSourceFile(path);
  const types = new Set(typesOf(source));
  return exportsOf(source).flatMap((symbol) => {
    if (types.has(symbol.name)) return [];
    const s = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (!(s.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable))) return [];
    const home = path.slice(0, path.indexOf('/src/'));
    if (!s.valueDeclaration?.getSourceFile().fileName.startsWith(home)) return [];
    const type = checker.getTypeOfSymbol(s);
    return type.getCallSignatures().length > 0 ? [[symbol.name, textOf(type), commentOn(s)]] : [];
  });
}

/** The rows of a file's table `methods`. */
function methodsOf(path) {
  let found;
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'methods')
      found = checker.getTypeAtLocation(node.name);
    ts.forEachChild(node, visit);
  };
  visit(program.getSourceFile(path));
  return found
    .getProperties()
    .map((property) => [property.name, textOf(checker.getTypeOfSymbol(property))]);
}

const byName = ([a], [b]) => (a < b ? -1 : 1);

/** `what`, written by biome as it would format it. */
function write(path, what) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      `${root}node_modules/@biomejs/biome/bin/biome`,
      'check',
      '--write',
      `--stdin-file-path=${root}${path}`,
    ],
    {
      input: `// Written by scripts/signatures.mjs from the types; see there.\n\n${what}`,
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`biome could not format ${path}: ${stderr}`);
  if (!process.argv.includes('--check')) writeFileSync(`${root}${path}`, stdout);
  else if (readFileSync(`${root}${path}`, 'utf8') !== stdout) {
    console.error(`${path} is not current: npm run signatures`);
    process.exitCode = 1;
  }
}

/**
 * A module of all that the file `from` exports, with `functions` checked by `guard`. A line each, marked
 * as pure, so that a bundler leaves out what a program does not use.
 */
function writeChecked(path, from, functions, { imports, guard }) {
  const rows = functions
    .sort(byName)
    .map(
      ([name, text, comment]) =>
        `${comment && `${comment}\n`}export const ${name} = /* @__PURE__ */ ${guard(name)}('${name}', '${text}', unchecked.${name});\n`,
    );
  write(
    path,
    `${imports}\nimport * as unchecked from '${from}';\n\nexport * from '${from}';\n\n${rows.join('')}`,
  );
}

// Exported for devices and packages that build on voxgrad, and not checked.
const open = new Set(JSON.parse(readFileSync(`${root}scripts/building-blocks.json`, 'utf8')));
writeChecked(
  'packages/core/src/checked.ts',
  './unchecked.js',
  functionsOf(CORE).filter(([name]) => !open.has(name)),
  { imports: "import { guard } from './guard.js';", guard: () => 'guard' },
);
writeChecked('packages/nn/src/init-checked.ts', './init.js', functionsOf(NN.init), {
  imports: "import { guard } from '@voxgrad/core';",
  guard: () => 'guard',
});
// They give back what they make on the way; but a distance is the user's, who may keep what is made in it.
const KEEPS = 'tripletMarginWithDistanceLoss';
writeChecked(
  'packages/nn/src/functional-checked.ts',
  './functional.js',
  functionsOf(NN.functional),
  {
    imports:
      "import { guard } from '@voxgrad/core';\nimport { guardHiding } from './guard-hiding.js';",
    guard: (name) => (name === KEEPS ? 'guard' : 'guardHiding'),
  },
);

/** The methods of `list` by what they take: most of them are alike. */
function methodTable(name, list) {
  const groups = new Map();
  for (const [method, text] of list.sort(byName))
    groups.set(text, [...(groups.get(text) ?? []), method]);
  return `/** Methods by what they take; # marks numbers, ? those that may be left out, ... any number of arguments. */
export const ${name}: Readonly<Record<string, string>> = {
${[...groups]
  .sort(byName)
  .map(([text, names]) => `'${text}': '${names.join(' ')}',\n`)
  .join('')}};\n`;
}
const first = methodsOf(METHODS.first);
const all = methodsOf(METHODS.all);
const names = new Set(first.map(([name]) => name));
const others = all.filter(([name]) => !names.has(name)).map(([name]) => name);
write(
  'packages/core/src/signatures.ts',
  `${methodTable('METHODS', first)}
/** The methods that come with all-methods.ts. */
export const OTHER_METHODS = '${others.sort().join(' ')}';\n`,
);
write('packages/core/src/more-signatures.ts', methodTable('MORE_METHODS', all));
