// # Agents

/** Bytes of a message of the Model Context Protocol that an agent sends to /mcp. */
export const MCP_BODY_MAX_BYTES = 256 * 1024;
/** Characters of one result of a tool at /mcp. Longer texts are cut, and the result says so. */
export const MCP_RESULT_MAX_CHARS = 60_000;
/** Skills that an agent card lists. */
export const AGENT_CARD_SKILLS_MAX = 100;
/** Time that one call at /mcp can take. */
export const MCP_CALL_MAX_MS = 60_000;
