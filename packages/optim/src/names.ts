// PyTorch's names and ours: `weight_decay` ↔ `weightDecay`, `_step_count` ↔ `_stepCount`,
// `T_max` ↔ `TMax`, `T_0` ↔ `T0`.

/** `weight_decay` → `weightDecay`. Underscores in front stay. */
export const camelCase = (name: string): string =>
  name.replace(/(?<=[a-zA-Z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `weightDecay` → `weight_decay`. A name with underscores inside is PyTorch's already. */
export function snakeCase(name: string): string {
  if (/[^_]_/.test(name)) return name;
  return name
    .replace(/^T(?=[A-Z0-9])/, 'T_')
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/(?<=^T_)[A-Z]/, (letter) => letter.toLowerCase());
}
