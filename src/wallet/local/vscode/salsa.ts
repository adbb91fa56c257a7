/** Salsa20/8 of 16 words, in place (RFC 7914 §3). One variable for each word: a table of them takes many times as long. */
export function salsa(words: Int32Array): void {
  let a = words[0]!;
  let b = words[1]!;
  let c = words[2]!;
  let d = words[3]!;
  let e = words[4]!;
  let f = words[5]!;
  let g = words[6]!;
  let h = words[7]!;
  let i = words[8]!;
  let j = words[9]!;
  let k = words[10]!;
  let l = words[11]!;
  let m = words[12]!;
  let n = words[13]!;
  let o = words[14]!;
  let p = words[15]!;
  for (let round = 0; round < 4; round++) {
    // The columns.
    e ^= rotated(a + m, 7);
    i ^= rotated(e + a, 9);
    m ^= rotated(i + e, 13);
    a ^= rotated(m + i, 18);
    j ^= rotated(f + b, 7);
    n ^= rotated(j + f, 9);
    b ^= rotated(n + j, 13);
    f ^= rotated(b + n, 18);
    o ^= rotated(k + g, 7);
    c ^= rotated(o + k, 9);
    g ^= rotated(c + o, 13);
    k ^= rotated(g + c, 18);
    d ^= rotated(p + l, 7);
    h ^= rotated(d + p, 9);
    l ^= rotated(h + d, 13);
    p ^= rotated(l + h, 18);
    // The rows.
    b ^= rotated(a + d, 7);
    c ^= rotated(b + a, 9);
    d ^= rotated(c + b, 13);
    a ^= rotated(d + c, 18);
    g ^= rotated(f + e, 7);
    h ^= rotated(g + f, 9);
    e ^= rotated(h + g, 13);
    f ^= rotated(e + h, 18);
    l ^= rotated(k + j, 7);
    i ^= rotated(l + k, 9);
    j ^= rotated(i + l, 13);
    k ^= rotated(j + i, 18);
    m ^= rotated(p + o, 7);
    n ^= rotated(m + p, 9);
    o ^= rotated(n + m, 13);
    p ^= rotated(o + n, 18);
  }
  words[0]! += a;
  words[1]! += b;
  words[2]! += c;
  words[3]! += d;
  words[4]! += e;
  words[5]! += f;
  words[6]! += g;
  words[7]! += h;
  words[8]! += i;
  words[9]! += j;
  words[10]! += k;
  words[11]! += l;
  words[12]! += m;
  words[13]! += n;
  words[14]! += o;
  words[15]! += p;
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
