import type { CoreOptions } from "./run-child.ts";

/** A Pact Broker or PactFlow: where pacts come from, and where results go. */
export interface PactBroker {
  readonly url: string;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Versions of consumers, in the broker's form. Default: of main branches, deployed or released. */
  readonly selectors?: readonly object[] | undefined;
  /** True if pacts that were never verified may fail without failing the run. Default false. */
  readonly enablePending?: boolean | undefined;
  /** Version of the provider that is verified; needed to publish. */
  readonly providerVersion?: string | undefined;
  readonly providerBranch?: string | undefined;
  /** True to publish the results. Default false. */
  readonly publish?: boolean | undefined;
  /** URL of the build, shown with published results. */
  readonly buildUrl?: string | undefined;
}

/**
 * A broker as the core takes it.
 *
 * @throws {TypeError} `publish` without a version: the core would publish nothing and say nothing.
 */
export function brokerOptions(broker: PactBroker): Partial<CoreOptions> {
  const { url, token, username, password, providerVersion, providerBranch } = broker;
  const { selectors = [{ mainBranch: true }, { deployedOrReleased: true }] } = broker;
  const { enablePending, publish = false, buildUrl } = broker;
  if (publish && providerVersion === undefined)
    throw new TypeError("results are published of a provider's version, which is missing");
  return {
    pactBrokerUrl: url,
    ...(token !== undefined && { pactBrokerToken: token }),
    ...(username !== undefined && { pactBrokerUsername: username }),
    ...(password !== undefined && { pactBrokerPassword: password }),
    consumerVersionSelectors: selectors,
    ...(enablePending !== undefined && { enablePending }),
    ...(providerVersion !== undefined && { providerVersion }),
    ...(providerBranch !== undefined && { providerVersionBranch: providerBranch }),
    ...(buildUrl !== undefined && { buildUrl }),
    ...(publish && { publishVerificationResult: true }),
  };
}
