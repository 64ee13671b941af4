// Exact decimals on text, so that the page adds up what it shows and never rounds.

const PLAIN = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** {units, scale} of a plain decimal such as "-8400.00", or null if it is not one. */
export function parse(text) {
  const match = PLAIN.exec(String(text));
  if (!match) return null;
  const [, sign, whole, fraction = ""] = match;
  const units = BigInt(whole + fraction);
  return { units: sign === "-" ? -units : units, scale: fraction.length };
}

function rescale({ units, scale }, to) {
  return units * 10n ** BigInt(to - scale);
}

/** The sum of plain decimals as {units, scale}; null if one of them is not a plain decimal. */
export function sum(texts) {
  let total = { units: 0n, scale: 0 };
  for (const text of texts) {
    const value = parse(text);
    if (!value) return null;
    const scale = Math.max(total.scale, value.scale);
    total = { units: rescale(total, scale) + rescale(value, scale), scale };
  }
  return total;
}

/** Whether two {units, scale} are the same number, whatever their zeroes. */
export function equal(left, right) {
  const scale = Math.max(left.scale, right.scale);
  return rescale(left, scale) === rescale(right, scale);
}

/** Plain text of {units, scale}, for `Intl.NumberFormat`, which takes decimals as text without rounding them. */
export function plain({ units, scale }) {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const text = scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
  return units < 0n ? `-${text}` : text;
}
