/** The descriptions of tags. A path below `/v1` has the tag of its first word, all others `pages`. */
const TAGS: Readonly<Record<string, string>> = {
  messages: 'Send, read, prove and acknowledge messages.',
  inbox: 'Received messages, and the schema that their JSON is checked by.',
  outbox: 'Sent messages.',
  receipts: 'Public receipts of messages, and their proofs.',
  threads: 'Threads of messages, what your business decides about them, and comments.',
  views: 'Saved filters of the list of threads.',
  notifications: 'What members and agents are told of.',
  search: 'Messages and comments by words.',
  export: 'Lists as files.',
  events: 'A stream that tells of something new.',
  uploads: 'Files for messages, in one piece or in parts.',
  files: 'Files of messages.',
  webhooks: 'Where the service posts events, and the log of its attempts.',
  consumers: 'Queues from which workers lease messages.',
  contacts: 'The parties that your business exchanges messages with.',
  blocks: 'Senders whose messages are refused.',
  'schema-check': 'What a recipient’s schema says of JSON.',
  'document-types': 'Types of business documents: their schemas, layouts and examples.',
  handles: 'Businesses by handle or name.',
  public: 'What everybody can see of a business.',
  me: 'The business, agent and rights of your key.',
  usage: 'What your business has used of its limits.',
  business: 'Your business, and its drop page.',
  businesses: 'Claim a handle, and so create a business.',
  members: 'People of your business.',
  invitations: 'Invitations to your business.',
  domains: 'Mail domains that your business has verified.',
  agents: 'Programs that act for your business, with their keys.',
  keys: 'API keys.',
  'device-logins': 'API keys for programs on other devices, such as a terminal.',
  'sign-in': 'How people can sign in.',
  account: 'A person’s account and sessions.',
  drops: 'Messages from people who have no handle.',
  pages: 'Bytes of files, at signed URLs.',
};

export function tagOf(path: string): string {
  const tag = /^\/v1\/([^/]*)/.exec(path)?.[1] ?? 'pages';
  if (TAGS[tag] === undefined) throw new Error(`the tag ${tag} has no description`);
  return tag;
}

export function tagList(used: ReadonlySet<string>): { name: string; description: string }[] {
  return Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []));
}
