/**
 * Resolves once the probe, or the function that it gives, gives something truthy: asked at each frame, and every 100 ms where
 * frames are rare. What it throws counts as "not yet": most often the variable that it reads is not there so far. Runs in the
 * page's own world, for as long as the caller waits.
 */
export async function untilTruthy(probe: () => unknown): Promise<void> {
  const holds = async (): Promise<boolean> => {
    try {
      const value = probe();
      return Boolean(await (typeof value === 'function' ? value() : value));
    } catch {
      return false;
    }
  };
  while (!(await holds())) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100);
    });
  }
}
