/**
 * Authenticator data, as Web Authentication level 3, section 6.1, lays it out. Pure; the bytes are
 * hostile.
 */

export interface AuthenticatorData {
  /** SHA-256 of the relying party's id. */
  rpIdHash: Buffer;
  isUserPresent: boolean;
  /** The device checked a PIN, a finger or a face. */
  isUserVerified: boolean;
  /** The passkey may be copied to other devices, and has been. */
  isBackupEligible: boolean;
  isBackedUp: boolean;
  /** `counter` says how often the device says that it signed; 0 from those that do not count. */
  counter: number;
  /** `credentialId` is that of a new credential; undefined where the data holds none. */
  credentialId: Buffer | undefined;
}

const flag = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  newCredential: 0x40,
};
const rpIdHashBytes = 32;
const headBytes = 37;
/** After the head: 16 bytes of the device's model, then the length of the credential id. */
const lengthAt = headBytes + 16;
const idAt = lengthAt + 2;

/**
 * Undefined for bytes of another layout. The key and the extensions that may follow are not read.
 */
export function readAuthenticatorData(bytes: Buffer): AuthenticatorData | undefined {
  const flags = bytes[rpIdHashBytes];
  if (flags === undefined || bytes.length < headBytes) return;
  const has = (bit: number) => (flags & bit) !== 0;
  const credentialId = has(flag.newCredential) ? readCredentialId(bytes) : undefined;
  if (has(flag.newCredential) && credentialId === undefined) return;
  return {
    rpIdHash: bytes.subarray(0, rpIdHashBytes),
    isUserPresent: has(flag.userPresent),
    isUserVerified: has(flag.userVerified),
    isBackupEligible: has(flag.backupEligible),
    isBackedUp: has(flag.backedUp),
    counter: bytes.readUInt32BE(rpIdHashBytes + 1),
    credentialId,
  };
}

function readCredentialId(bytes: Buffer): Buffer | undefined {
  if (bytes.length < idAt) return;
  const end = idAt + bytes.readUInt16BE(lengthAt);
  // The key follows the id, so an id that ends with the data is cut off.
  return end > idAt && end < bytes.length ? bytes.subarray(idAt, end) : undefined;
}
