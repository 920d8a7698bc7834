/** The dotted key of a member: `prefix.name`, or `name` alone at the top. */
export const join = (prefix: string, name: string): string => (prefix ? `${prefix}.${name}` : name);
