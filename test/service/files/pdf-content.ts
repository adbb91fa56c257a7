/** Kerning value below which a gap in a text counts as a space, in thousandths of the font size. */
const maxSpaceKerning = -180;

const tokenPattern =
  /\((?:\\[^]|[^\\()]|\((?:\\[^]|[^\\()])*\))*\)|<[\da-f\s]*>|\[|\]|\/[^\s/[\]()<>]+|[-+]?(?:\d+\.?\d*|\.\d+)|[A-Za-z*'"][A-Za-z0-9*]*/gi;

/** Extracts the text that the operators of a page draw. An operator that moves to another line starts a new line. */
export function extractDrawnText(
  content: string,
  characterMap: ReadonlyMap<string, string>,
): string {
  let text = '';
  let operands: string[] = [];
  const startNewLine = (): void => void (text = text.trimEnd() === '' ? '' : `${text.trimEnd()}\n`);
  for (const [operatorOrOperand] of content.matchAll(tokenPattern)) {
    if (!/^[A-Za-z*'"]/.test(operatorOrOperand)) {
      operands.push(operatorOrOperand);
      continue;
    }
    if (startsNewLine(operatorOrOperand, operands)) startNewLine();
    else if (operatorOrOperand === 'Td' || operatorOrOperand === 'TD') text += ' ';
    if (/^(?:Tj|TJ|'|")$/.test(operatorOrOperand)) text += decodeOperands(operands, characterMap);
    operands = [];
  }
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

function startsNewLine(operator: string, operands: readonly string[]): boolean {
  if (operator === 'Td' || operator === 'TD') return Number(operands.at(-1)) !== 0;
  return /^(?:T\*|Tm|ET|'|")$/.test(operator);
}

const decodeOperands = (
  operands: readonly string[],
  characterMap: ReadonlyMap<string, string>,
): string =>
  operands
    .map((operand) => {
      if (operand.startsWith('(')) return decodeLiteral(operand.slice(1, -1));
      if (operand.startsWith('<'))
        return decodeHex(operand.replace(/[<>\s]/g, '').toLowerCase(), characterMap);
      return Number(operand) < maxSpaceKerning ? ' ' : '';
    })
    .join('');

const escapeSequences: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

function decodeLiteral(text: string): string {
  const bytes = text.replace(/\\(\d{1,3}|\r?\n|[^])/g, (_, escapedText: string) => {
    if (/^\d/.test(escapedText)) return String.fromCharCode(parseInt(escapedText, 8) & 0xff);
    return /^\s/.test(escapedText) ? '' : (escapeSequences[escapedText] ?? escapedText);
  });
  return decodeWindows1252(Buffer.from(bytes, 'latin1'));
}

/**
 * Decodes a hexadecimal string. Reads two-byte codes if the character map contains all of them, otherwise single bytes.
 * Bytes without an entry in the map are Windows-1252 characters.
 */
function decodeHex(digits: string, characterMap: ReadonlyMap<string, string>): string {
  const codes = digits.match(/.{4}/g) ?? [];
  if (codes.length > 0 && codes.every((code) => characterMap.has(code)))
    return codes.map((code) => characterMap.get(code) ?? '').join('');
  const bytes = digits.match(/.{2}/g) ?? [];
  return bytes
    .map((byte) => characterMap.get(byte) ?? decodeWindows1252(Buffer.from(byte, 'hex')))
    .join('');
}

const windows1252Decoder = new TextDecoder('windows-1252');
const decodeWindows1252 = (bytes: Buffer): string => windows1252Decoder.decode(bytes);
