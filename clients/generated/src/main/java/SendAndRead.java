import java.util.Map;
import java.util.UUID;
import waybill.ApiClient;
import waybill.api.InboxApi;
import waybill.api.MessagesApi;
import waybill.model.Envelope;
import waybill.model.SendRequest;

/** Sends a message with the generated client, and reads it in the recipient's inbox: SendAndRead (url) (sender's key) (recipient's key). */
final class SendAndRead {
  public static void main(String[] args) throws Exception {
    var kind = "test." + UUID.randomUUID();
    var order = new SendRequest().to("globex").type(kind).subject("Order 4711").json(Map.of("quantity", 3));
    var sent = new MessagesApi(client(args[0], args[1])).postMessages(order, kind, null, null, null, null, null, null, null);

    var inbox = new InboxApi(client(args[0], args[2]));
    var page = inbox.getInbox(null, null, null, null, null, null, kind, null, null, null, null);
    var read = (Envelope) page.getData().get(0).getActualInstance();
    var party = read.getFrom().getParty().getHandleParty();
    var isSame = read.getId().equals(sent.getId()) && read.getSubject().equals("Order 4711") && read.getJson().equals(Map.of("quantity", 3));
    if (page.getData().size() != 1 || !isSame || !party.getHandle().equals("acme")) throw new IllegalStateException(page.toString());
    System.out.println("sent and read " + read.getId() + " from " + party.getHandle());
  }

  private static ApiClient client(String url, String key) {
    var client = new ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }
}
