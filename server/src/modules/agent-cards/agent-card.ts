import { Refusal } from '../../contract/errors.ts';
import { AGENT_CARD_SKILLS_MAX, AGENTS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { formatAddress } from '../../contract/names.ts';
import type { Agent, Business } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { listAgents } from '../agents/agents.ts';
import type { InboxSchemas } from '../inbox-schema/inbox-schema.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { claimedAs } from '../parties/profile.ts';

export interface CardServices {
  database: Database;
  parties: PartyDirectory;
  schemas: InboxSchemas;
  publicUrl: string;
}

/** The card declares an interface of our own, and an extension that clients must know: the service does not speak A2A itself. */
const BINDING = 'urn:waybill:http-api:v1';
const EXTENSION = 'urn:waybill:messages:v1';
const A2A_VERSION = '1.0';
const MODES = ['application/json', 'text/plain'];

export async function agentCardOf({ database, parties, schemas, publicUrl }: CardServices, handle: string, version: string) {
  const business = await claimedAs(parties, handle);
  if (!business.hasAgentCard) throw new Refusal('not_found', 'The business has no agent card.');
  const agents = await listAgents(database, business.id, null, AGENTS_PER_BUSINESS_MAX);
  const hasSchema = (await schemas.findPublished(business.id)) !== undefined;
  const address = `${publicUrl}/@${business.handle}`;
  const schemaUrl = hasSchema ? `${publicUrl}/v1/public/${business.handle}/schema` : null;
  return {
    name: business.displayName,
    description: `Takes messages with JSON, text and files at the handle ${business.handle}, by Waybill.`,
    supportedInterfaces: [
      { url: `${publicUrl}/v1/messages`, protocolBinding: BINDING, protocolVersion: A2A_VERSION, tenant: business.handle },
    ],
    provider: { organization: business.displayName, url: address },
    version,
    documentationUrl: `${publicUrl}/docs/agents-mcp`,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        {
          uri: EXTENSION,
          description: 'Send messages to this handle with the HTTP API of Waybill, or with the tools of its MCP server.',
          required: true,
          params: { handle: business.handle, mcp: `${publicUrl}/mcp`, schema: schemaUrl, verifiedDomains: business.verifiedDomains },
        },
      ],
    },
    securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'An API key of your own business.' } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: skillsOf(business, agents, schemaUrl).slice(0, AGENT_CARD_SKILLS_MAX),
  };
}

function skillsOf({ handle }: Business, agents: Agent[], schemaUrl: string | null) {
  const byWhat = schemaUrl === null ? 'any JSON' : `JSON by the schema at ${schemaUrl}`;
  const whole = {
    id: handle,
    name: 'Take messages',
    description: `Takes messages to ${handle}: ${byWhat}, a note, files.`,
    tags: ['messages'],
  };
  const ofAgents = agents.flatMap(({ name, description, segment }) => {
    if (segment === null) return [];
    const address = formatAddress(handle, segment);
    return [{ id: address, name, description: description ?? `Takes messages to ${address}.`, tags: ['messages', segment] }];
  });
  return [whole, ...ofAgents];
}
