/** Address blocks, parsed without a runtime's help so that browser and gateway agree. */

export interface AddressBlock {
  /** 4 or 16 bytes; an IPv4 address written as `::ffff:1.2.3.4` is read as IPv4. */
  bytes: readonly number[];
  bits: number;
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
  )
    return;
  return parts.map(Number);
}

function groups(text: string): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const last = parts.at(-1) ?? "";
  const tail = last.includes(".") ? parseIpv4(last) : [];
  if (!tail) return;
  const hex = tail.length > 0 ? parts.slice(0, -1) : parts;
  if (!hex.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return;
  return [
    ...hex.flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]),
    ...tail,
  ];
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return;
  const [head, tail] = halves.map(groups);
  if (!head || (halves.length === 2 && !tail)) return;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  // "::" stands for at least one group.
  return missing >= 2 ? [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])] : undefined;
}

const isMapped = (bytes: readonly number[]) =>
  bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;

export function parseAddress(text: string): number[] | undefined {
  const bytes = text.includes(":") ? parseIpv6(text) : parseIpv4(text);
  return bytes?.length === 16 && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** `10.0.0.0/8`, `2001:db8::/32` or a single address. */
export function parseBlock(text: string): AddressBlock | undefined {
  const [address = "", mask, ...rest] = text.trim().split("/");
  if (rest.length > 0) return;
  const raw = address.includes(":") ? parseIpv6(address) : parseIpv4(address);
  const bytes = parseAddress(address);
  if (!raw || !bytes) return;
  if (mask === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(mask)) return;
  // A mask written for a mapped address counts from the front of the 16 bytes.
  const bits = Number(mask) - (raw.length - bytes.length) * 8;
  return bits >= 0 && bits <= bytes.length * 8 ? { bytes, bits } : undefined;
}

export function blockContains(block: AddressBlock, address: readonly number[]): boolean {
  if (block.bytes.length !== address.length) return false;
  for (let index = 0; index * 8 < block.bits; index += 1) {
    const significant = Math.min(8, block.bits - index * 8);
    const mask = (0xff << (8 - significant)) & 0xff;
    if (((block.bytes[index] ?? 0) & mask) !== ((address[index] ?? 0) & mask)) return false;
  }
  return true;
}

function formatAddressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const hex = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  const runs = hex.join(":").match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  if (longest === "") return hex.join(":");
  return hex.join(":").replace(new RegExp(`(^|:)${longest}(:|$)`), "::");
}

export const blockText = (block: AddressBlock) => `${formatAddressText(block.bytes)}/${block.bits}`;

/** The first 24 bits of an IPv4 address, 48 of IPv6: a network, and no person. */
export function findNetwork(address: string): string | undefined {
  const bytes = parseAddress(address);
  if (!bytes) return undefined;
  const kept = bytes.length === 4 ? 3 : 6;
  return formatAddressText(bytes.map((byte, at) => (at < kept ? byte : 0)));
}
