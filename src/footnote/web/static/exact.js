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

/** Times a whole number. */
export const times = ({ units, scale }, count) => ({ units: units * BigInt(count), scale });

/** Rounded to `scale` digits, half away from zero, as figures are displayed. */
export function rounded(value, scale) {
  if (value.scale <= scale) return value;
  const unit = 10n ** BigInt(value.scale - scale);
  const sign = value.units < 0n ? -1n : 1n;
  const [whole, rest] = [(value.units * sign) / unit, (value.units * sign) % unit];
  return { units: sign * (whole + (rest * 2n >= unit ? 1n : 0n)), scale };
}

/** Whether `value` times `count` is `total`, but for the rounding of a quotient in its last digit. */
export function divides(total, count, value) {
  const product = { units: value.units * count.units, scale: value.scale + count.scale };
  const scale = Math.max(product.scale, total.scale);
  const apart = rescale(product, scale) - rescale(total, scale);
  const allowed = rescale({ units: count.units < 0n ? -count.units : count.units, scale: count.scale + value.scale }, scale);
  return (apart < 0n ? -apart : apart) <= allowed;
}

/** Plain text of {units, scale}, for `Intl.NumberFormat`, which takes decimals as text without rounding them. */
export function plain({ units, scale }) {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const text = scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
  return units < 0n ? `-${text}` : text;
}
