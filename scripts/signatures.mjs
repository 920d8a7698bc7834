// Writes packages/{core,nn}/src/signatures.ts: what every public function and tensor method takes, read
// off the types, so that calls from plain JavaScript can be checked against it. Run it after a public
// function's parameters have changed: `npm run signatures`. With --check it only compares, as a test does.

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
const METHODS = `${root}packages/core/src/tensor/methods.ts`;
const NN = {
  functional: `${root}packages/nn/src/functional.ts`,
  init: `${root}packages/nn/src/init.ts`,
};
const program = ts.createProgram([CORE, METHODS, ...Object.values(NN)], {
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

/** The functions that a file exports; those of another package are that package's to check. */
function functionsOf(path) {
  const source = program.getSourceFile(path);
  return checker.getExportsOfModule(checker.getSymbolAtLocation(source)).flatMap((symbol) => {
    const s = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (!(s.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable))) return [];
    const home = path.slice(0, path.indexOf('/src/'));
    if (!s.valueDeclaration?.getSourceFile().fileName.startsWith(home)) return [];
    const type = checker.getTypeOfSymbol(s);
    return type.getCallSignatures().length > 0 ? [[symbol.name, textOf(type)]] : [];
  });
}

function methodsOf() {
  let found;
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'methods')
      found = checker.getTypeAtLocation(node.name);
    ts.forEachChild(node, visit);
  };
  visit(program.getSourceFile(METHODS));
  return found
    .getProperties()
    .map((property) => [property.name, textOf(checker.getTypeOfSymbol(property))]);
}

const table = (name, comment, entries) =>
  `/** ${comment} */\nexport const ${name}: Readonly<Record<string, string>> = {\n${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, text]) => `  ${key}: '${text}',\n`)
    .join('')}};\n`;

function write(name, text) {
  const path = `${root}packages/${name}/src/signatures.ts`;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${path} is not current: npm run signatures`);
    process.exitCode = 1;
  }
}

const HEAD = '// Written by scripts/signatures.mjs from the types; see there.\n\n';
const functions = functionsOf(CORE);
const known = new Map(functions);
// A method that takes what the function of its name takes needs no row of its own.
const others = methodsOf().filter(([name, text]) => known.get(name) !== text);
write(
  'core',
  `${HEAD}${table('FUNCTIONS', 'What functions take; # marks numbers, ? those that may be left out, ... any number of arguments.', functions)}\n${table(
    'METHODS',
    'Methods of which there is no function, or one that takes something else.',
    others,
  )}`,
);
write(
  'nn',
  `${HEAD}${Object.entries(NN)
    .map(([home, path]) =>
      table(home.toUpperCase(), `What the functions of nn.${home} take.`, functionsOf(path)),
    )
    .join('\n')}`,
);
