import * as l10n from '@vscode/l10n';
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { ByteReader, areBytesEqual } from './bytes.ts';
import { verifyCertificateChain, quotingSignerHash, type RootKey } from './certificate-chain.ts';

/** Fields of a quote that describe the attested virtual machine. */
export interface QuoteReport {
  /** Signer (MRSIGNERSEAM) of the TDX module. */
  readonly moduleSigner: Uint8Array;
  /** Attributes (SEAMATTRIBUTES) of the TDX module. This module provides the other fields of the report. */
  readonly moduleAttributes: Uint8Array;
  /** Attributes of the virtual machine. Any bit of the first byte permits debugging. */
  readonly attributes: Uint8Array;
  /** Measurement (hash) of the initial content of the virtual machine. */
  readonly mrTd: Uint8Array;
  /** Id of the configuration (MRCONFIGID), set when the virtual machine is created. */
  readonly mrConfigId: Uint8Array;
  /** Id of the owner (MROWNER), set when the virtual machine is created. */
  readonly mrOwner: Uint8Array;
  /** Measurements (hashes) of software loaded after startup, from four registers. */
  readonly rtmrs: readonly Uint8Array[];
  /** 64 bytes set by the software in the virtual machine, such as the address of its key and a nonce. */
  readonly reportData: Uint8Array;
}

/** Parsed quote of Intel TDX. No field is verified. */
export interface Quote {
  readonly version: number;
  /** Signature algorithm. The value 2 means ECDSA on P-256. */
  readonly keyType: number;
  /** Type of the attested environment. The value 0x81 means TDX. */
  readonly teeType: number;
  readonly report: QuoteReport;
  /** Bytes that the signature covers: header and report. */
  readonly signedBytes: Uint8Array;
  /** Signature of the quote: r and s, 32 bytes each. */
  readonly signature: Uint8Array;
  /**
   * Public key that verifies the quote's signature: x and y, 32 bytes each. Generated and certified by the quoting
   * enclave.
   */
  readonly attestationKey: Uint8Array;
  /** Report about the quoting enclave, signed by the hardware's certified key. */
  readonly quotingReport: Uint8Array;
  readonly quotingSignature: Uint8Array;
  readonly quotingData: Uint8Array;
  /**
   * Certificates in PEM format. The first certificate verifies the report of the quoting enclave; each further
   * certificate belongs to the issuer of the previous one.
   */
  readonly certificates: string;
}

const headerLength = 48;
/** Length of a TDX 1.0 report in bytes. Reports of later versions are longer. */
const tdx10ReportLength = 584;
const maxQuoteLength = 64 * 1024;
const maxDataLength = 4 * 1024;

/**
 * Parses a quote of version 4 or 5 (Intel, "TDX DCAP Quoting Library API", appendix 3).
 * @throws RangeError for any other format.
 */
export function readQuote(bytes: Uint8Array): Quote {
  if (bytes.length > maxQuoteLength)
    throw new RangeError(l10n.t('Not as expected: {0}', 'quote length'));
  const reader = new ByteReader(bytes);
  const header = readHeader(new ByteReader(reader.read(headerLength)));
  const report = reader.read(header.version === 5 ? readReportLength(reader) : tdx10ReportLength);
  const signedLength = bytes.length - reader.remainingBytes;
  const proofReader = new ByteReader(reader.read(reader.readNumber(4)));
  return {
    ...header,
    report: readReport(new ByteReader(report)),
    signedBytes: bytes.subarray(0, signedLength),
    ...readProof(proofReader),
  };
}

function readHeader(reader: ByteReader): Pick<Quote, 'version' | 'keyType' | 'teeType'> {
  const version = reader.readNumber(2);
  if (version !== 4 && version !== 5)
    throw new RangeError(l10n.t('Not as expected: {0}', `quote version ${version}`));
  return { version, keyType: reader.readNumber(2), teeType: reader.readNumber(4) };
}

/**
 * Returns the length of the report in bytes. In version 5, the report has a type: 2 for TDX 1.0, or 3 for TDX 1.5,
 * which adds fields.
 */
function readReportLength(reader: ByteReader): number {
  const type = reader.readNumber(2);
  const length = reader.readNumber(4);
  if ((type !== 2 && type !== 3) || length < tdx10ReportLength || length > 1_024) {
    throw new RangeError(l10n.t('Not as expected: {0}', `quote body type ${type}`));
  }
  return length;
}

function readReport(reader: ByteReader): QuoteReport {
  // Skips the versions of the platform and the TDX module, which only Intel's services can evaluate.
  reader.read(16 + 48);
  const moduleSigner = reader.read(48);
  const moduleAttributes = reader.read(8);
  const attributes = reader.read(8);
  reader.read(8);
  const mrTd = reader.read(48);
  const mrConfigId = reader.read(48);
  const mrOwner = reader.read(48);
  reader.read(48);
  const rtmrs = Array.from({ length: 4 }, () => reader.read(48));
  const reportData = reader.read(64);
  return {
    ...{ moduleSigner, moduleAttributes, attributes, mrTd },
    ...{ mrConfigId, mrOwner, rtmrs, reportData },
  };
}

type QuoteProof = Omit<Quote, 'version' | 'keyType' | 'teeType' | 'report' | 'signedBytes'>;

function readProof(reader: ByteReader): QuoteProof {
  const signature = reader.read(64);
  const attestationKey = reader.read(64);
  const certificationReader = readCertificationData(reader, 6);
  const quotingReport = certificationReader.read(384);
  const quotingSignature = certificationReader.read(64);
  const dataLength = certificationReader.readNumber(2);
  if (dataLength > maxDataLength)
    throw new RangeError(l10n.t('Not as expected: {0}', 'QE authentication data'));
  const quotingData = certificationReader.read(dataLength);
  const chainReader = readCertificationData(certificationReader, 5);
  const certificates = Buffer.from(chainReader.read(chainReader.remainingBytes)).toString('latin1');
  return {
    signature,
    attestationKey,
    quotingReport,
    quotingSignature,
    quotingData,
    certificates,
  };
}

function readCertificationData(reader: ByteReader, requestedType: number): ByteReader {
  const type = reader.readNumber(2);
  if (type !== requestedType)
    throw new RangeError(l10n.t('Not as expected: {0}', `certification data type ${type}`));
  return new ByteReader(reader.read(reader.readNumber(4)));
}

/**
 * Checks that the attestation key signed the header and the report.
 * @throws Error if the signature is invalid
 */
export function checkSignature({ keyType, signedBytes, signature, attestationKey }: Quote): void {
  if (keyType !== 2)
    throw new Error(l10n.t('Not as expected: {0}', `attestation key type ${keyType}`));
  if (!hasValidSignature(signedBytes, signature, createP256Key(attestationKey))) {
    throw new Error(l10n.t('Not as expected: {0}', 'quote signature'));
  }
}

/**
 * Checks that Intel's quoting enclave generated the attestation key. The first certificate of the chain must certify
 * the enclave, and the enclave must not be debuggable. Also checks the enclave's identity, because genuine hardware
 * certifies other enclaves too, which can sign arbitrary data.
 * @throws Error if a check fails
 */
export function checkQuotingEnclave(
  quote: Quote,
  trustOptions: { readonly roots: readonly RootKey[]; readonly now: number },
): void {
  const { quotingReport, quotingSignature, quotingData, attestationKey } = quote;
  const signer = verifyCertificateChain(quote.certificates, trustOptions);
  if (!hasValidSignature(quotingReport, quotingSignature, signer)) {
    throw new Error(l10n.t('Not as expected: {0}', 'QE report signature'));
  }
  const digest = createHash('sha256').update(attestationKey).update(quotingData).digest();
  const expected = Buffer.concat([digest, Buffer.alloc(32)]);
  if (!areBytesEqual(quotingReport.subarray(320, 384), expected)) {
    throw new Error(l10n.t('Not as expected: {0}', 'QE report data'));
  }
  if (
    !areBytesEqual(quotingReport.subarray(128, 160), quotingSignerHash) ||
    readProductId(quotingReport) !== 2
  ) {
    throw new Error(l10n.t('Not as expected: {0}', 'QE identity'));
  }
  // Bit 1 of the enclave's flags is DEBUG (Intel SDM, ATTRIBUTES).
  if (((quotingReport[48] ?? 0) & 0b10) !== 0)
    throw new Error(l10n.t('Not as expected: {0}', 'QE debug flag'));
}

/**
 * Checks that the TDX module is a production module signed by Intel. Only such a module has an all-zero signer
 * (MRSIGNERSEAM) and all-zero attributes (SEAMATTRIBUTES); see Intel, "TDX Module Base Architecture Specification".
 * @throws Error for any other module
 */
export function checkTdxModule({ report }: Quote): void {
  const isIntelModule = [report.moduleSigner, report.moduleAttributes].every((bytes) =>
    bytes.every((byte) => byte === 0),
  );
  if (!isIntelModule) throw new Error(l10n.t('Not as expected: {0}', 'TDX module'));
}

/** Returns the product id (ISVPRODID) from the report of an enclave. */
const readProductId = (report: Uint8Array): number =>
  new ByteReader(report.subarray(256)).readNumber(2);

const hasValidSignature = (data: Uint8Array, signature: Uint8Array, key: KeyObject): boolean =>
  verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);

function createP256Key(point: Uint8Array): KeyObject {
  const readCoordinate = (start: number): string =>
    Buffer.from(point.subarray(start, start + 32)).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: readCoordinate(0), y: readCoordinate(32) };
  return createPublicKey({ key: jwk, format: 'jwk' });
}
