import { Type } from 'typebox';
import { HANDLE_QUESTION_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import { version } from '../../http/version.ts';
import { agentCardOf, type CardServices } from './agent-card.ts';

const { publicEndpoint } = endpointsFor<CardServices>();

const success = { status: 200, description: 'The card, as A2A 1.0 defines it.' };

export const byPath = publicEndpoint({
  summary: 'Get the agent card of a business',
  isCrossOrigin: true,
  params: Type.Object({ handle: Type.String() }),
  success,
  errors: ['not_found'],
  handle: (context, { params }) => show(context, params.handle),
});

export const byQuery = publicEndpoint({
  summary: 'Get the agent card of a business, by its handle',
  isCrossOrigin: true,
  query: Type.Object({ handle: Type.String({ maxLength: HANDLE_QUESTION_MAX_CHARS, description: 'Whose card.' }) }, closed),
  success,
  errors: ['not_found', 'validation_error'],
  handle: (context, { query }) => show(context, query.handle),
});

/** Cached for a minute at most, because a business can withdraw its card. */
async function show(context: CardServices, handle: string): Promise<HttpResponse> {
  return { headers: { 'cache-control': 'public, max-age=60' }, body: await agentCardOf(context, handle, version) };
}
