interface Policy {
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

/** Trusted Types forbid scripts by URL; each of these policies allows one worker and nothing else. */
const policies = new Map<string, Policy>();

export function startWorker(name: string, url: string): Worker {
  if (typeof trustedTypes !== 'undefined' && !policies.has(name))
    policies.set(name, trustedTypes.createPolicy(name, { createScriptURL: () => url }));
  return new Worker(policies.get(name)?.createScriptURL(url) ?? url, { type: 'module' });
}
