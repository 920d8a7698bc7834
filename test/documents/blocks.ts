// The code blocks of a Markdown document.

export interface Block {
  readonly language: string;
  readonly code: string;
  /** Line of its first line of code, from 1 on. */
  readonly line: number;
  /** Why it does not run: `<!-- not run: REASON -->` stands before it. */
  readonly notRun: string | undefined;
  /** What it should print: a block of `text` that follows at once. */
  output: string | undefined;
}

const FENCE = /^( *)```(\w*)\s*$/;
const NOT_RUN = /^\s*<!-- not run: (.+) -->\s*$/;

/** @throws Error where a fence is left open */
export function blocksOf(document: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  let notRun: string | undefined;
  let justAfter = false; // only empty lines since the last block
  for (let i = 0; i < lines.length; i++) {
    const fence = FENCE.exec(lines[i]);
    if (!fence) {
      const text = lines[i].trim();
      if (text === '') continue;
      notRun = NOT_RUN.exec(text)?.[1];
      justAfter = false;
      continue;
    }
    const [, indent, language] = fence;
    const end = lines.findIndex((line, at) => at > i && line.trim() === '```');
    if (end < 0) throw new Error(`${document}:${i + 1}: this block does not end`);
    const code = lines
      .slice(i + 1, end)
      .map((line) => line.replace(indent, ''))
      .join('\n');
    const last = blocks.at(-1);
    if (language === 'text' || language === '') {
      if (justAfter && last) last.output = code;
    } else {
      blocks.push({ language, code, line: i + 2, notRun, output: undefined });
    }
    notRun = undefined;
    justAfter = language !== 'text' && language !== '';
    i = end;
  }
  return blocks;
}

/** Whether what was printed holds what a document shows; `…` stands for anything, space for any space. */
export function shows(printed: string, shown: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  const text = plain(printed);
  let at = 0;
  for (const part of shown.split('…').map(plain)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
