// Sends a message with the generated client, and reads it in the recipient's inbox: send-and-read <url> <sender's key> <recipient's key>
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"waybill.example/generated/waybill"
)

func client(url, key string) *waybill.APIClient {
	settings := waybill.NewConfiguration()
	settings.Servers = waybill.ServerConfigurations{{URL: url}}
	settings.AddDefaultHeader("Authorization", "Bearer "+key)
	return waybill.NewAPIClient(settings)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kind := fmt.Sprintf("test.%d", time.Now().UnixNano())
	var order waybill.SendRequest
	order.SetTo("globex")
	order.SetType(kind)
	order.SetSubject("Order 4711")
	order.SetJson(map[string]any{"quantity": 3})
	sent, _, err := client(os.Args[1], os.Args[2]).MessagesAPI.PostMessages(ctx).IdempotencyKey(kind).SendRequest(order).Execute()
	if err != nil {
		log.Fatal("send: ", err)
	}
	page, _, err := client(os.Args[1], os.Args[3]).InboxAPI.GetInbox(ctx).Type_(kind).Execute()
	if err != nil {
		log.Fatal("read: ", err)
	}
	if len(page.Data) != 1 || page.Data[0].Envelope == nil {
		log.Fatalf("read: %d messages", len(page.Data))
	}
	read := page.Data[0].Envelope
	payload, _ := read.Json.(map[string]any)
	party := read.From.Party.HandleParty
	if read.Id != sent.Id || read.GetSubject() != "Order 4711" || payload["quantity"] != 3.0 || party == nil || party.Handle != "acme" {
		log.Fatalf("read: %+v", read)
	}
	fmt.Printf("sent and read %s from %s\n", read.Id, party.Handle)
}
