/** Fields that several parts of the studio's state contain. */
import { integer, maxLength, maxValue, minValue, number, picklist, pipe, string } from 'valibot';

export const count = pipe(number(), integer(), minValue(0));
export const milliseconds = pipe(number(), minValue(0));
/** Image side in pixels. */
export const pixels = pipe(number(), integer(), minValue(1), maxValue(65_536));
export const name = pipe(string(), maxLength(300));
/** Prompt. The maximum length is above the limit of every model; the form checks the limit of the selected model. */
export const prompt = pipe(string(), maxLength(100_000));
/** URI that the webview may load: a result of `asWebviewUri`, or a `data:` URI. */
export const uri = pipe(string(), maxLength(8_192));
/** Price such as `$0.04` or `$0.18–0.35`. Empty when unknown. */
export const priceText = pipe(string(), maxLength(60));
/** Ratio of width to height, such as `16:9`. */
export const ratio = pipe(string(), maxLength(20));
export const imageOriginSchema = picklist([
  'generate',
  'edit',
  'combine',
  'upscale',
  'remove-background',
]);
