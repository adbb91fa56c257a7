export type Value = number | string | boolean;

/** A number, a quoted text or a truth value, as source code writes it; undefined for anything else. */
export function parseValue(source: string | undefined): Value | undefined {
  if (source === undefined) return undefined;
  const text = source.trim();
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^(['"`])([^'"`\\]*)\1$/.exec(text)?.[2];
}

const precedence: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

/**
 * What an expression of names, values, arithmetic, comparisons and brackets comes to; undefined when it is anything
 * more. Nothing is executed.
 */
export function evaluate(code: string, scope: ReadonlyMap<string, unknown>): Value | undefined {
  const tokens =
    code.match(
      /\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|'[^'\\]*'|"[^"\\]*"|===|!==|==|!=|<=|>=|&&|\|\||\*\*|[-+*/%<>()!]|\S/g,
    ) ?? [];
  const reader = new Reader(tokens, scope);
  const result = reader.level(0);
  return reader.isDone ? result : undefined;
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #scope: ReadonlyMap<string, unknown>;
  #at = 0;

  constructor(tokens: readonly string[], scope: ReadonlyMap<string, unknown>) {
    this.#tokens = tokens;
    this.#scope = scope;
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length;
  }

  level(depth: number): Value | undefined {
    const operators = precedence[depth];
    if (operators === undefined) return this.#atom();
    let left = this.level(depth + 1);
    for (
      let sign = this.#tokens[this.#at];
      sign !== undefined && operators.includes(sign);
      sign = this.#tokens[this.#at]
    ) {
      this.#at += 1;
      left = apply(sign, left, this.level(depth + 1));
    }
    return left;
  }

  #atom(): Value | undefined {
    const token = this.#tokens[this.#at++] ?? '';
    if (token === '-') return apply('-', 0, this.#atom());
    if (token === '!') {
      const value = this.#atom();
      return typeof value === 'boolean' ? !value : undefined;
    }
    if (token === '(') {
      const inner = this.level(0);
      return this.#tokens[this.#at++] === ')' ? inner : undefined;
    }
    const known = this.#scope.get(token);
    return typeof known === 'number' || typeof known === 'string' || typeof known === 'boolean'
      ? known
      : parseValue(token);
  }
}

function apply(sign: string, a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (sign === '===' || sign === '==') return a === b;
  if (sign === '!==' || sign === '!=') return a !== b;
  if (typeof a === 'string' && typeof b === 'string' && sign === '+') return a + b;
  if (typeof a === 'boolean' && typeof b === 'boolean')
    return sign === '&&' ? a && b : sign === '||' ? a || b : undefined;
  if (typeof a !== 'number' || typeof b !== 'number') return undefined;
  return calculate(sign, a, b);
}

function calculate(sign: string, a: number, b: number): Value | undefined {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '**':
      return a ** b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return undefined;
  }
}
