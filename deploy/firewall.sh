#!/bin/sh
# Lets the containers of a Docker network open only TCP connections to the public internet: an independent barrier beside the egress gate,
# above all for UDP. Run it as root, again after each start of the machine: deploy/firewall.sh 172.30.0.0/24
set -eu
net=${1:?the subnet of the Docker network is missing, such as 172.30.0.0/24}
# Each rule is inserted before the earlier rules.
for range in 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 \
  192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4; do
  iptables -I DOCKER-USER -s "$net" -d "$range" -j REJECT
done
iptables -I DOCKER-USER -s "$net" ! -p tcp -j REJECT
iptables -I DOCKER-USER -s "$net" -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
# If the name server of the host is not on its loopback, Docker asks it from the container: allow that first, such as
# iptables -I DOCKER-USER -s "$net" -d 10.0.0.2 -p udp --dport 53 -j RETURN
# Connections to the host itself use another chain.
iptables -I INPUT -s "$net" -m conntrack --ctstate NEW -j REJECT
