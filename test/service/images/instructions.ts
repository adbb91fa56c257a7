import { hashText } from '../random.ts';
import { findHue } from './colour-words.ts';
import { openImage, type Pixels, toPixels } from './pixels.ts';

type Change = (pixels: Pixels) => Promise<Pixels>;

const sepia: [[number, number, number], [number, number, number], [number, number, number]] = [
  [0.39, 0.77, 0.19],
  [0.35, 0.69, 0.17],
  [0.27, 0.53, 0.13],
];

/** What an instruction asks for, and how it is done. All that fit are done, in this order. */
const changes: readonly (readonly [RegExp, Change])[] = [
  [/\brotat\w*.*?\b180\b/i, turned(180)],
  [/\brotat\w*.*?\b(?:270|left|anticlockwise|counter-?clockwise)\b/i, turned(270)],
  [/\brotat(?!\w*.*?\b(?:180|270|left|anticlockwise|counter-?clockwise)\b)/i, turned(90)],
  [/\bmirror|\bflip\w* horizontal/i, async (each) => toPixels((await openImage(each)).flop())],
  [
    /\bflip(?!\w* horizontal)|upside down/i,
    async (each) => toPixels((await openImage(each)).flip()),
  ],
  [/\bgr[ae]y|black.and.white|\bmonochrom/i, modulated({ saturation: 0 })],
  [/\bsepia\b/i, async (each) => toPixels((await openImage(each)).recomb(sepia))],
  [/\binvert/i, async (each) => toPixels((await openImage(each)).negate({ alpha: false }))],
  [/\bdark/i, modulated({ brightness: 0.55 })],
  [/\bbright|\blight(?:er|en)\b/i, modulated({ brightness: 1.45 })],
  [/\bsharpen/i, async (each) => toPixels((await openImage(each)).sharpen({ sigma: 2 }))],
  [/\bblur/i, async (each) => toPixels((await openImage(each)).blur(8))],
];

/** The picture after all that the instruction asks for; one that nobody understands still changes the colours. */
export async function applyInstruction(pixels: Pixels, instruction: string): Promise<Pixels> {
  const fitting = changes.filter(([words]) => words.test(instruction)).map(([, change]) => change);
  const hue = findHue(instruction);
  if (hue !== undefined) fitting.push(tinted(hue));
  if (fitting.length === 0) fitting.push(tinted(hashText(instruction) % 360));
  let changed = pixels;
  for (const change of fitting) changed = await change(changed);
  return changed;
}

function turned(degrees: number): Change {
  return async (each) => toPixels((await openImage(each)).rotate(degrees));
}

function modulated(how: { saturation?: number; brightness?: number }): Change {
  return async (each) => toPixels((await openImage(each)).modulate(how));
}

function tinted(hue: number): Change {
  return async (each) => toPixels((await openImage(each)).tint(`hsl(${hue}, 90%, 50%)`));
}
