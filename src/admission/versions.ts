/**
 * The objects of a request in the version in which whoever looks at them speaks of them. Nothing is converted as long as
 * that is the request's own.
 *
 * The API server fills in defaults after each mutation. Only the host has them, so it is asked when somebody is to look at
 * what was changed, and not where nobody looks any more.
 *
 * @see k8s.io/apiserver pkg/admission/conversion.go (VersionedAttributes) at v0.36
 */
import type { JsonObject } from '../k8s/types.ts';
import { apiVersionOf, type Gvk } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';
import type { AdmissionSubject, EquivalentResource, FillIn } from '../ports.ts';
import type { AdmittedObjects } from './matching.ts';

/** As often as the host is asked for the defaults of one request: a tenant may have any number of mutations. */
const MOST_FILLED = 10;

export class Versions {
  readonly #subject: Pick<AdmissionSubject, 'kind' | 'convert'>;
  /** In the version of the request; its object may be older than `#given`, see `#isChanged`. */
  #own: AdmittedObjects;
  #given: AdmittedObjects;
  #kind: Gvk;
  #isChanged = false;
  readonly #fillIn: FillIn | undefined;
  #filled = 0;
  #lacksDefaults = false;

  constructor(subject: Pick<AdmissionSubject, 'kind' | 'convert'>, given: AdmittedObjects, fillIn?: FillIn) {
    this.#subject = subject;
    this.#own = given;
    this.#given = given;
    this.#kind = subject.kind;
    this.#fillIn = fillIn;
  }

  /** As they are now, in whatever version. */
  get given(): AdmittedObjects {
    return this.#given;
  }

  /** For whoever is to look at them: the same, with the defaults of what was changed. @throws as `in` */
  async shown(as: Pick<EquivalentResource, 'kind'> | undefined): Promise<AdmittedObjects> {
    if (!this.#lacksDefaults || this.#fillIn === undefined || this.#filled >= MOST_FILLED) return await this.in(as);
    const { object } = await this.#inOwn();
    this.#lacksDefaults = false;
    this.#filled += 1;
    if (object !== undefined) {
      this.#own = { ...this.#own, object: await this.#fillIn(object) };
      this.#given = this.#own;
    }
    return await this.in(as);
  }

  /** @param as undefined: in the version of the request @throws {ApiError} when they cannot be converted */
  async in(as: Pick<EquivalentResource, 'kind'> | undefined): Promise<AdmittedObjects> {
    const kind = as?.kind ?? this.#subject.kind;
    if (sameKind(kind, this.#kind)) return this.#given;
    const own = await this.#inOwn();
    this.#given = sameKind(kind, this.#subject.kind) ? own : await this.#allConverted(kind);
    this.#kind = kind;
    return this.#given;
  }

  /** What nobody changed is taken as it came: a conversion to another version and back may lose something. */
  async #inOwn(): Promise<AdmittedObjects> {
    const { object } = this.#given;
    if (this.#isChanged && object !== undefined) {
      const isOwn = sameKind(this.#kind, this.#subject.kind);
      this.#own = { ...this.#own, object: isOwn ? object : await this.#backToOwn(object) };
    }
    this.#given = this.#own;
    this.#kind = this.#subject.kind;
    this.#isChanged = false;
    return this.#own;
  }

  /** In the version that was asked for last. */
  replace(object: JsonObject): void {
    if (sameJson(object, this.#given.object ?? null)) return;
    this.#given = { ...this.#given, object };
    this.#isChanged = true;
    this.#lacksDefaults = true;
  }

  async #backToOwn(object: JsonObject): Promise<JsonObject | undefined> {
    const { group, version } = this.#subject.kind;
    const [converted] = await this.#subject.convert([object], apiVersionOf(group, version));
    return converted;
  }

  /** Both in one call: a webhook of the tenant may have to answer it. */
  async #allConverted({ group, version }: Gvk): Promise<AdmittedObjects> {
    const { object, oldObject } = this.#own;
    const present = [object, oldObject].filter((one) => one !== undefined);
    const converted = await this.#subject.convert(present, apiVersionOf(group, version));
    return {
      object: object === undefined ? undefined : converted[0],
      oldObject: oldObject === undefined ? undefined : converted.at(-1),
    };
  }
}

function sameKind(a: Gvk, b: Gvk): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
