/** Casts a partial object, with the members that the code under test uses, to the whole type. */
export function fake<T>(part: NoInfer<{ readonly [Key in keyof T]?: unknown }>): T {
  const holder: { readonly whole: T } = Object.assign(Object.create(null), { whole: part });
  return holder.whole;
}
