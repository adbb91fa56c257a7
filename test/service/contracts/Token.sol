// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Erc20} from "./Erc20.sol";

/// The token that is staked. Anyone may make some.
contract Token is Erc20 {
    constructor() Erc20("Stake Token", "STK", 18) {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}

/// Refuses to change an allowance that is not 0, as some widely held tokens do.
contract ResetToken is Erc20 {
    constructor() Erc20("Reset Token", "RST", 18) {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function approve(address spender, uint256 value) external override returns (bool) {
        require(value == 0 || allowance[msg.sender][spender] == 0, "RST: reset the allowance to 0 first");
        _allow(msg.sender, spender, value);
        return true;
    }
}

/// Has balances but says neither its decimals nor its symbol.
contract NamelessToken {
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }
}

/// Claims 255 decimals and a symbol that would break a line and turn the text around.
contract LyingToken is Erc20 {
    constructor() Erc20("Lying Token", unicode"USDC\n\u202E<b>", 255) {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}
