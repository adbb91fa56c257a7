import { hashText } from '../random.ts';

const gramLength = 3;

/**
 * Returns a unit vector that depends only on the text. Texts with the same or similarly spelled words have similar
 * vectors.
 */
export function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [feature, weight] of extractFeatures(text)) {
    const hash = hashText(feature);
    const index = hash % dimensions;
    vector[index] = (vector[index] ?? 0) + ((hash >>> 16) % 2 === 0 ? weight : -weight);
  }
  const length = Math.hypot(...vector);
  // The vector can be zero, because features can cancel each other out.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

/**
 * Returns the features of a text with their weights: its words, and all sequences of three characters in these words.
 */
function extractFeatures(text: string): (readonly [feature: string, weight: number])[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [text];
  return words.flatMap((word) => {
    const paddedWord = ` ${word} `;
    const grams = Array.from({ length: paddedWord.length - gramLength + 1 }, (_, index) => {
      return [paddedWord.slice(index, index + gramLength), 0.4] as const;
    });
    return [[word, 1] as const, ...grams];
  });
}

/** Encodes 32-bit little-endian floats as base64. */
export function encodeFloatsAsBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
