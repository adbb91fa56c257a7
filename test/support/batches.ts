export async function* flattenBatches<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

export async function* toBatches<T>(
  elements: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<readonly T[]> {
  for await (const element of elements) yield [element];
}
