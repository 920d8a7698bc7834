/** Sets a group's `momentum`, or the first of its `betas` where it has them. */
export function setMomentum(group: object, momentum: number): void {
  const betas = 'betas' in group && Array.isArray(group.betas) ? group.betas : undefined;
  Object.assign(group, betas ? { betas: [momentum, ...betas.slice(1)] } : { momentum });
}
