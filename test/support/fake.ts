/** Passes a part off as the whole: as much of it as the code under test uses. */
export function fake<T>(part: NoInfer<{ readonly [Key in keyof T]?: unknown }>): T {
  const holder: { readonly whole: T } = Object.assign(Object.create(null), { whole: part });
  return holder.whole;
}
