import { createHash, sign } from 'node:crypto';
import { createCertificate, createP256Key, type P256Key } from './certificates.ts';

/** Data in an attestation quote, and options that make the quote invalid. */
interface QuoteOptions {
  /** 64 bytes of data chosen by the enclave. */
  readonly reportData: Buffer;
  readonly isDebugged: boolean;
  /** True if the certificates in the quote have expired. */
  readonly isExpired: boolean;
  /** True if the certificate chain ends in an unknown root. */
  readonly hasUnknownRoot: boolean;
  /** Identity of the enclave that signs the quote. Default: Intel's quoting enclave. */
  readonly quotingEnclave?: QuotingEnclave;
  /** MRSIGNERSEAM and SEAMATTRIBUTES of the TDX module, 56 bytes. Default: zeros, as in Intel's module. */
  readonly tdxModule?: Buffer;
}

/** Identity of a quoting enclave. */
interface QuotingEnclave {
  /** MRSIGNER value, 32 bytes. */
  readonly signer: Buffer;
  /** ISVPRODID value. */
  readonly productId: number;
}

/** Identity of Intel's quoting enclave for TDX. */
const intelQuotingEnclave: QuotingEnclave = {
  signer: Buffer.from('dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5', 'hex'),
  productId: 2,
};

/** Identity of another vendor's quoting enclave that runs on genuine hardware. */
export const foreignQuotingEnclave: QuotingEnclave = {
  signer: createHash('sha256').update('signer of an own enclave').digest(),
  productId: 2,
};

const deriveScalar = (name: string): Buffer => createHash('sha256').update(name).digest();

const rootKey = createP256Key(deriveScalar('root of the local hardware'));
const unknownRootKey = createP256Key(deriveScalar('root of somebody else'));
const platformKey = createP256Key(deriveScalar('platform'));
const processorKey = createP256Key(deriveScalar('processor'));
const quotingKey = createP256Key(deriveScalar('quoting enclave'));

/**
 * Root key of the local service's certificate chains: x and y in hexadecimal. Equal in every run, so that a client can
 * pin it.
 */
export const localRootKey = rootKey.point.toString('hex');

/** Creates a TDX quote of version 4. Keys of the local service sign the quote. */
export function createQuote(options: QuoteOptions): Buffer {
  const signedReport = Buffer.concat([encodeHeader(), createReport(options)]);
  const authData = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
  const attestedHash = createHash('sha256').update(quotingKey.point).update(authData).digest();
  const quotingReport = Buffer.alloc(384);
  const { signer, productId } = options.quotingEnclave ?? intelQuotingEnclave;
  signer.copy(quotingReport, 128);
  quotingReport.writeUInt16LE(productId, 256);
  attestedHash.copy(quotingReport, 320);
  const certificateChain = Buffer.from(createCertificateChain(options));
  const certifiedReport = Buffer.concat([
    quotingReport,
    createSignature(quotingReport, processorKey),
    encodeUint(authData.length, 2),
    authData,
    encodeCertification(5, certificateChain),
  ]);
  const signedData = Buffer.concat([
    createSignature(signedReport, quotingKey),
    quotingKey.point,
    encodeCertification(6, certifiedReport),
  ]);
  return Buffer.concat([signedReport, encodeUint(signedData.length, 4), signedData]);
}

const encodeHeader = (): Buffer =>
  Buffer.concat([encodeUint(4, 2), encodeUint(2, 2), encodeUint(0x81, 4), Buffer.alloc(40)]);

function createReport({
  reportData,
  isDebugged,
  tdxModule = Buffer.alloc(48 + 8),
}: QuoteOptions): Buffer {
  const computeMeasurement = (name: string): Buffer => createHash('sha384').update(name).digest();
  const attributes = Buffer.from(isDebugged ? '0100001000000000' : '0000001000000000', 'hex');
  return Buffer.concat([
    Buffer.alloc(16 + 48),
    tdxModule,
    attributes,
    Buffer.alloc(8),
    computeMeasurement('machine'),
    Buffer.alloc(48 * 3),
    ...['firmware', 'kernel', 'system', 'service'].map(computeMeasurement),
    reportData,
  ]);
}

function createCertificateChain({ isExpired, hasUnknownRoot }: QuoteOptions): string {
  const expiryYear = isExpired ? 2021 : 2049;
  const rootIssuer = { name: 'Local Root', key: hasUnknownRoot ? unknownRootKey : rootKey };
  const platformIssuer = { name: 'Local Platform', key: platformKey };
  return [
    createCertificate({
      subject: 'Processor',
      key: processorKey,
      issuer: platformIssuer,
      isAuthority: false,
      expiryYear,
    }),
    createCertificate({
      subject: platformIssuer.name,
      key: platformKey,
      issuer: rootIssuer,
      isAuthority: true,
      expiryYear,
    }),
    createCertificate({
      subject: rootIssuer.name,
      key: rootIssuer.key,
      issuer: rootIssuer,
      isAuthority: true,
      expiryYear: 2049,
    }),
  ].join('');
}

const createSignature = (data: Buffer, { privateKey }: P256Key): Buffer =>
  sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });

const encodeCertification = (type: number, data: Buffer): Buffer =>
  Buffer.concat([encodeUint(type, 2), encodeUint(data.length, 4), data]);

function encodeUint(value: number, length: 2 | 4): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntLE(value, 0, length);
  return bytes;
}
