import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";

/**
 * Reads a client's request field by field and knows which fields were never read. A translation
 * leaves exactly those out, so the list of dropped fields cannot disagree with the code of the
 * translation.
 */

/** More names than any API has fields; the report on a nonsense request ends here. */
const droppedMax = 100;
/** Names are sent in a header, and no API has a field with any other name. */
const headerSafeName = /^[\w-]{1,64}$/;

/** A value that says nothing: leaving it out changes nothing. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.every(isEmpty));

/** `SharedReport` is what the readers of one request have in common. */
interface SharedReport {
  readers: RequestReader[];
  /** Fields that a later translation left out. */
  droppedLater: string[];
  /** Names as the client spelled them, by the names that are read. */
  spelled?: ReadonlyMap<string, string>;
}

/**
 * `FieldReader` is what a translation sees of one object in a request: it reads the fields that it
 * translates, and all others count as left out.
 */
export interface FieldReader {
  /** The object itself, to look at a field without reading it. */
  readonly json: JsonRecord;
  /** The value of a field, with everything in it. */
  get(name: string): unknown;
  /**
   * Several fields, for destructuring. A name that is not destructured is one that needs no
   * translation.
   */
  read<const Name extends string>(...names: Name[]): Readonly<Record<Name, unknown>>;
  /** An object with these fields alone. */
  pick<const Name extends string>(...names: Name[]): Readonly<Record<Name, unknown>>;
  /** The whole object. */
  readAll(): JsonRecord;
  /**
   * Reads a field that asks for no more than what happens anyway: one that has one of these values.
   */
  allow(name: string, ...values: unknown[]): void;
  /**
   * Reads a field of this type alone; strings count as of any type. False where its value is of
   * another type.
   */
  readTyped(name: string, ...types: string[]): boolean;
  /** The object in a field; an empty one where the field holds anything else. */
  object(name: string): FieldReader;
  /** The objects of a list. */
  objects(name: string): FieldReader[];
  /**
   * Leaves the object out. It is reported under its type, or under its field where `name` is empty.
   */
  drop(name?: string): void;
}

/**
 * `RequestReader` is one object of the request: the whole of it, or one inside. It also reports the
 * fields that nothing read.
 */
export class RequestReader implements FieldReader {
  readonly json: JsonRecord;
  /** The name of the field that holds the object, and the object around it. */
  readonly #name: string;
  readonly #parent: RequestReader | undefined;
  readonly #shared: SharedReport;
  readonly #read: string[] = [];
  #isReadWhole = false;
  /**
   * Set when the object as a whole is left out: the name it is reported under, below the path of
   * its field.
   */
  #droppedAs: string | undefined;

  constructor(json: JsonRecord, name = "", parent?: RequestReader) {
    this.json = json;
    this.#name = name;
    this.#parent = parent;
    this.#shared = parent ? parent.#shared : { readers: [], droppedLater: [] };
    this.#shared.readers.push(this);
  }

  get(name: string): unknown {
    this.#read.push(name);
    return this.json[name];
  }

  read<const Name extends string>(...names: Name[]): Readonly<Record<Name, unknown>> {
    this.#read.push(...names);
    return this.json as Readonly<Record<Name, unknown>>;
  }

  pick<const Name extends string>(...names: Name[]): Readonly<Record<Name, unknown>> {
    return Object.fromEntries(names.map((name) => [name, this.get(name)])) as Record<Name, unknown>;
  }

  readAll(): JsonRecord {
    this.#isReadWhole = true;
    return this.json;
  }

  /**
   * The whole request with its fields under other names, which are read; `spelled` has the client's
   * own for the report.
   */
  rewritten(json: JsonRecord, spelled: ReadonlyMap<string, string>): RequestReader {
    this.readAll();
    this.#shared.spelled = spelled;
    return new RequestReader(json, "", this);
  }

  allow(name: string, ...values: unknown[]): void {
    if (values.includes(this.json[name])) this.#read.push(name);
  }

  readTyped(name: string, ...types: string[]): boolean {
    const value = this.json[name];
    const isKnown = !isRecord(value) || types.includes(text(value.type));
    if (isKnown) this.#read.push(name);
    else this.object(name).drop();
    return isKnown;
  }

  object(name: string): RequestReader {
    const value = this.get(name);
    return isRecord(value) ? new RequestReader(value, name, this) : new RequestReader({});
  }

  objects(name: string): RequestReader[] {
    const value = this.get(name);
    if (!Array.isArray(value)) return [];
    const readers: RequestReader[] = [];
    for (const item of value) if (isRecord(item)) readers.push(new RequestReader(item, name, this));
    return readers;
  }

  drop(name = text(this.json.type)): void {
    this.#droppedAs = name;
  }

  /** Adds a field that a later translation left out. */
  addDropped(path: string): void {
    this.#shared.droppedLater.push(path);
  }

  /**
   * The fields of the request that were not read, as paths with dots between: sorted, each once.
   */
  dropped(): string[] {
    const paths = new Set(this.#shared.droppedLater);
    for (const reader of this.#shared.readers) reader.#report(paths);
    const { spelled } = this.#shared;
    if (!spelled || spelled.size === 0) return [...paths].toSorted();
    const asSent = (path: string): string =>
      path
        .split(".")
        .map((name) => spelled.get(name) ?? name)
        .join(".");
    return [...paths].map(asSent).toSorted();
  }

  #report(paths: Set<string>): void {
    if (this.#droppedAs !== undefined) this.#add(this.#droppedAs, paths);
    else if (!this.#isReadWhole) {
      for (const name in this.json) {
        if (paths.size >= droppedMax) return;
        if (!this.#read.includes(name) && !isEmpty(this.json[name]) && headerSafeName.test(name))
          this.#add(name, paths);
      }
    }
  }

  #add(name: string, paths: Set<string>): void {
    if (paths.size >= droppedMax || this.#isInsideDropped()) return;
    const path = this.#path();
    paths.add(!headerSafeName.test(name) ? path : path === "" ? name : `${path}.${name}`);
  }

  #path(): string {
    const above = this.#parent === undefined ? "" : this.#parent.#path();
    if (this.#name === "") return above;
    return above === "" ? this.#name : `${above}.${this.#name}`;
  }

  #isInsideDropped(): boolean {
    const parent = this.#parent;
    return parent !== undefined && (parent.#droppedAs !== undefined || parent.#isInsideDropped());
  }
}
