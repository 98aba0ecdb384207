export const ACKNOWLEDGEMENTS = 'GET /v1/messages/{id}/acknowledgements';
export const ACKNOWLEDGE = 'POST /v1/messages/{id}/acknowledge';
