/** Maps items with limited concurrency. Results are in the order of the items. */
export async function pool<T, U>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<U>,
): Promise<readonly U[]> {
  const results: U[] = [];
  let next = 0;
  const worker = async () => {
    for (;;) {
      const index = next;
      next += 1;
      const item = items[index];
      if (item === undefined) return;
      results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
