import { parseJson } from '../../base/json.ts';

const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, colon] = [0x2c, 0x3a];

/** No picture stands deeper. */
const deepest = 3;

/** Where in a JSON text its reader is, as far as that says whether a picture stands there. */
export class JsonPlace {
  /** Objects and lists that are open. */
  depth = 0;
  /** Whether the next string is the name of a field. */
  isKeyNext = false;
  readonly #kinds: number[] = [];
  readonly #keys: string[] = [];

  /** Takes a byte outside of strings. */
  see(byte: number): void {
    if (byte === openObject || byte === openList) this.#open(byte);
    else if (byte === closeObject || byte === closeList) this.#close();
    else if (byte === comma) this.isKeyNext = this.#kindAt(this.depth) === openObject;
    else if (byte === colon) this.isKeyNext = false;
  }

  /** The name of the field that comes now, between its quotes. */
  enterField(name: string): void {
    if (this.depth <= deepest) this.#keys[this.depth] = plain(name);
  }

  /** Whether a string that is a value here is a picture. */
  get isPicture(): boolean {
    if (this.#kindAt(1) !== openObject || this.#kindAt(2) !== openList) return false;
    if (this.depth === 2) return this.#keys[1] === 'images';
    if (this.depth !== 3 || this.#kindAt(3) !== openObject) return false;
    return this.#keys[1] === 'data' && (this.#keys[3] === 'b64_json' || this.#keys[3] === 'url');
  }

  #open(byte: number): void {
    this.depth++;
    this.isKeyNext = byte === openObject;
    if (this.depth > deepest) return;
    this.#kinds[this.depth] = byte;
    this.#keys[this.depth] = '';
  }

  #close(): void {
    this.depth--;
    this.isKeyNext = false;
  }

  #kindAt(depth: number): number | undefined {
    return depth <= this.depth && depth <= deepest ? this.#kinds[depth] : undefined;
  }
}

/** A name can be written with escapes. */
function plain(name: string): string {
  const value = name.includes('\\') ? parseJson(`"${name}"`) : name;
  return typeof value === 'string' ? value : '';
}
