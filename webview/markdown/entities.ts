const reference = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;
const known = new Map<string, string>();

/** Replaces HTML character references (`&amp;`, `&#8364;`) by what they stand for; unknown ones stay. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(reference, decodeOne) : text;
}

function decodeOne(entity: string): string {
  let decoded = known.get(entity);
  if (decoded === undefined) {
    decoded = lookUp(entity);
    if (known.size < 4096) known.set(entity, decoded);
  }
  return decoded;
}

/** The browser owns the table of names; a parsed document runs nothing and loads nothing. */
function lookUp(entity: string): string {
  const decoded = new DOMParser()
    .parseFromString(`x${entity}`, 'text/html')
    .body.textContent.slice(1);
  return decoded.endsWith(';') && decoded.length > 1 ? entity : decoded;
}
