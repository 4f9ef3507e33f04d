"""iPXE boots from the model's port, and Millrace takes over from iPXE."""

import pytest


@pytest.mark.short
def test_dhcp(boot):
    """An address for the first port, and a script by TFTP as DHCP said."""
    boot.reach("dhcp")
    boot.reach("script")


@pytest.mark.short
def test_tftp(boot):
    boot.reach("tftp")


@pytest.mark.short
def test_http(boot):
    boot.reach("http")
    assert ("/blob", 200) in boot.web.got


@pytest.mark.short
def test_second_port(boot):
    """The other function does the same on a network of its own."""
    boot.reach("second_port")


@pytest.mark.short
def test_chain(boot):
    """Our image comes by HTTP, and is told what to do."""
    boot.reach("chain")
    assert ("/millrace.efi", 200) in boot.web.got
    assert "--forward-mode=io --auto-start" in boot.banner


def both_ports_work(boot):
    out = boot.console.run("show port info all")
    assert out.count("Link status: up") == 2, out
    assert out.count("Port state: started") == 2, out
    verdict = boot.forward()
    assert verdict.ok(), verdict


@pytest.mark.short
def test_takeover(boot):
    """Both ports that iPXE just used are up and forward unaltered frames."""
    boot.reach("chain")
    both_ports_work(boot)


def test_reboot(boot):
    """iPXE finds the NIC as our image left it, and our image as iPXE did."""
    boot.reach("chain")
    boot.again("tftp")
    by_http = boot.web.got.count(("/millrace.efi", 200))
    boot.reach("chain")
    assert boot.web.got.count(("/millrace.efi", 200)) == by_http
    both_ports_work(boot)
